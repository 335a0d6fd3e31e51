import { buildRemoval, buildSanction } from "#shared/testing/admins.ts";
import { type At, anybody, onlyOwner, row, type SocialMatrix } from "./social-rows.ts";

const sanction: At = async (scene) => ({ params: { id: await buildSanction(scene.owner) } });
const removal: At = async (scene) => ({ params: { id: await buildRemoval(scene.owner) } });
const appealed =
  (what: At): At =>
  async (scene, caller) => ({ ...(await what(scene, caller)), body: { text: "I was quoting someone." } });

/** What was taken from users. */
export const sanctions: SocialMatrix = {
  "get /users/me/sanctions": anybody(),
  "post /users/me/sanctions/:id/acknowledge": row(onlyOwner, sanction),
  "get /users/me/removals": anybody(),
  "post /users/me/removals/:id/appeal": row(onlyOwner, appealed(removal)),
  "post /users/me/sanctions/:id/appeal": row(onlyOwner, appealed(sanction)),
};
