import type { Scenario } from "../tool/scenario.ts";
import { browse } from "./browse.ts";
import { catalogue } from "./catalogue.ts";
import { dm } from "./dm.ts";
import { feed } from "./feed.ts";
import { games } from "./games.ts";
import { giftStorm } from "./gift-storm.ts";
import { joinAndTalk } from "./join-and-talk.ts";
import { joinStorm } from "./join-storm.ts";
import { mixed } from "./mixed.ts";
import { reconnectWave } from "./reconnect-wave.ts";

/** All scenarios, by the names of their commands. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "join-and-talk": joinAndTalk,
  "gift-storm": giftStorm,
  "reconnect-wave": reconnectWave,
  "join-storm": joinStorm,
  browse,
  dm,
  games,
  feed,
  catalogue,
  mixed,
};
