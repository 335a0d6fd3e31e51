import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { getMe, getProfile } from "./profile.queries.ts";
import { updateMe } from "./update-me.ts";
import { defaultUserSettings } from "./user-settings.ts";

/** Puts a user online and into a room of their own. */
async function enterRoom(userId: string, room: { is_private?: boolean; status?: string } = {}): Promise<string> {
  const roomId = newId();
  await query(
    `INSERT INTO rooms (id, host_id, name, category, language, seat_count, is_private, status)
     VALUES ($1, $2, 'Night owls', 'music', 'en', 8, $3, $4)`,
    [roomId, userId, room.is_private ?? false, room.status ?? "open"],
  );
  await query("INSERT INTO room_presence (user_id, room_id, join_id) VALUES ($1, $2, $3)", [userId, roomId, newId()]);
  await query("INSERT INTO online_users (user_id, process_id, lease_until) VALUES ($1, 'p', now() + interval '30 s')", [
    userId,
  ]);
  return roomId;
}

/** How an unrelated user sees them. */
const seenByStranger = async (userId: string) => getProfile((await buildUser()).id, userId);

describe("profile", () => {
  useDatabase();

  it("shows others only public fields", async () => {
    const ada = await buildUser({ mobile: "+919876500010", date_of_birth: "1990-12-10" });
    const profile = await seenByStranger(ada.id);
    expect(profile).to.include({
      id: ada.id,
      username: ada.username,
      bio: "",
      followers_count: 0,
      friend_status: "none",
    });
    expect(profile).not.to.have.any.keys("email", "mobile", "date_of_birth", "settings", "wallet", "status");
  });

  it("shows presence and room to others as the settings say, and always to the user", async () => {
    const ada = await buildUser();
    const id = await enterRoom(ada.id);
    const room = { id, name: "Night owls" };
    expect(await seenByStranger(ada.id)).to.deep.include({ is_online: true, current_room: room });
    await updateMe(callerOf(ada), { settings: { privacy: { show_current_room: false } } });
    expect(await seenByStranger(ada.id)).to.deep.include({ is_online: true, current_room: null });
    await updateMe(callerOf(ada), { settings: { privacy: { show_current_room: true, show_online: false } } });
    expect(await seenByStranger(ada.id)).to.include({ is_online: false, current_room: null });
    expect(await getMe(ada.id)).to.deep.include({ is_online: true, current_room: room });
  });

  it("hides a private or closed room, and shows the room of a member who isn't connected", async () => {
    const [hidden, closed, offline] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await Promise.all([
      enterRoom(hidden.id, { is_private: true }),
      enterRoom(closed.id, { status: "closed" }),
      enterRoom(offline.id),
    ]);
    await query("UPDATE online_users SET lease_until = now() WHERE user_id = $1", [offline.id]);
    for (const { id } of [hidden, closed]) expect((await seenByStranger(id)).current_room).to.equal(null);
    const seen = await seenByStranger(offline.id);
    expect([seen.is_online, seen.current_room?.name]).to.deep.equal([false, "Night owls"]);
  });

  it("is not found for unknown, suspended, deleted and deletion-pending accounts", async () => {
    const [suspended, deleted, leaving] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await setStatus(suspended, "suspended");
    await setStatus(deleted, "deleted");
    await setStatus(leaving, "deletion_pending");
    for (const id of [suspended.id, deleted.id, leaving.id, newId()])
      expect(await outcomeOf(seenByStranger(id))).to.equal("NOT_FOUND");
    expect(await outcomeOf(getMe(deleted.id))).to.equal("UNAUTHENTICATED");
  });
});

describe("updateMe", () => {
  useDatabase();

  it("changes the given fields, clears those that are null, and keeps the rest", async () => {
    const ada = callerOf(await buildUser());
    const avatar_url = "https://cdn.example.com/a.png";
    await updateMe(ada, { full_name: "Ada King", bio: "Poet", country: "GB", avatar_url, cover_url: avatar_url });
    expect(await updateMe(ada, { bio: "", cover_url: null })).to.include({
      full_name: "Ada King",
      bio: "",
      country: "GB",
      avatar_url,
      cover_url: null,
    });
    expect(await updateMe(ada, { country: null })).to.include({ country: null, avatar_url });
    expect(await updateMe(ada, {})).to.include({ full_name: "Ada King" });
  });

  it("merges settings key by key, also from two devices at once", async () => {
    const ada = callerOf(await buildUser());
    await Promise.all([
      updateMe(ada, { settings: { privacy: { show_online: false } } }),
      updateMe(ada, { settings: { privacy: { allow_dm: "friends" }, notifications: { gifts: false } } }),
    ]);
    expect((await getMe(ada.userId)).settings).to.deep.equal({
      privacy: { ...defaultUserSettings.privacy, show_online: false, allow_dm: "friends" },
      notifications: { ...defaultUserSettings.notifications, gifts: false },
    });
  });

  it("completes stored settings with the default of a new one", async () => {
    const { id } = await buildUser();
    await query("UPDATE users SET settings = '{}' WHERE id = $1", [id]);
    expect((await getMe(id)).settings).to.deep.equal(defaultUserSettings);
    expect(
      (await updateMe(callerOf({ id, sessionId: newId() }), { settings: { privacy: {} } })).settings,
    ).to.deep.equal(defaultUserSettings);
  });
});
