import { expect } from "chai";
import { assertPool, sendAtOnce } from "#shared/db/pg-internals.ts";
import { assertConnection, takeBroadcasts } from "./bridge/socketio-internals.ts";
import { dropReservations, handleAllMessages, leaveRequestsAlone } from "./core/colyseus-internals.ts";
import { assertWebSocket } from "./core/ws-internals.ts";

/** What each fence says of a library without the parts that it uses. With them, all other tests of the engine pass. */
const withoutParts: Readonly<Record<string, (nothing: never) => unknown>> = {
  "Colyseus has _reservedSeats, _reservedSeatTimeouts": dropReservations,
  "Colyseus has onMessageEvents.events": (room) => handleAllMessages(room, () => {}),
  "Colyseus has transport.server": leaveRequestsAlone,
  "Engine.IO has id, readyState, upgrading, writeBuffer, transport.writable, onClose": assertConnection,
  "Socket.IO has adapter._encode, Adapter.prototype.broadcast": (adapter) => takeBroadcasts(adapter, () => false),
  "ws has _sender.sendFrame, Sender.frame": assertWebSocket,
  "pg has client.connection.stream, client.pipeline": sendAtOnce,
  "Sequelize has connectionManager.getConnection, connectionManager.releaseConnection, connectionManager.destroyConnection":
    (pool) => assertPool(Object.assign(pool, { connectionManager: {} }) as never),
};

describe("the fences around libraries", () => {
  for (const [told, use] of Object.entries(withoutParts))
    it(`name what is missing: ${told}`, () => {
      expect(() => use({} as never)).to.throw(told);
    });
});
