import { query } from "#shared/db/query.ts";
import { type BuiltAgency, buildAgency, buildContract, buildInvitation } from "#shared/testing/agencies.ts";
import type { Scene } from "#shared/testing/scene.ts";
import { type At, anybody, id, type Outcomes, onlyOwner, row, type SocialMatrix, theTwo } from "./social-rows.ts";

const agencyOf = (scene: Scene): Promise<BuiltAgency> => buildAgency({}, scene.owner);

const agenciesOf = new WeakMap<Scene, Promise<string>>();
/** An agency of the owner's, to which the member is invited. The others have nothing to do with it. */
function agency(scene: Scene): Promise<string> {
  const known = agenciesOf.get(scene) ?? agencyOf(scene).then((built) => invited(built, scene));
  agenciesOf.set(scene, known);
  return known;
}
async function invited(built: BuiltAgency, { member }: Scene): Promise<string> {
  await buildInvitation(built, member);
  return built.id;
}
const invitation = async (scene: Scene): Promise<string> => {
  await query("UPDATE contracts SET ends_at = starts_at WHERE host_id = $1", [scene.member.id]);
  return buildInvitation(await agencyOf(scene), scene.member);
};
const contract = async (scene: Scene): Promise<string> => {
  await query("UPDATE contracts SET ends_at = starts_at WHERE host_id = $1", [scene.member.id]);
  return buildContract(await agencyOf(scene), scene.member, { starts_at: new Date(Date.now() - 1000).toISOString() });
};
const toMember: At = async (scene) => ({
  params: { id: (await agencyOf(scene)).id },
  body: { user_id: scene.member.id },
});
const onlyInvited: Outcomes = ["NOT_FOUND", "NOT_FOUND", "ok", "NOT_FOUND"];

export const agencies: SocialMatrix = {
  "get /agencies": anybody(),
  "get /agencies/invitations": anybody(),
  "get /agencies/contracts": anybody(),
  "get /agencies/:id": row(theTwo, id(agency)),
  "get /agencies/:id/hosts": row(onlyOwner, id(agency)),
  "get /agencies/:id/progress": row(onlyOwner, id(agency)),
  "get /agencies/:id/runs": row(onlyOwner, id(agency)),
  "get /agencies/:id/invitations": row(onlyOwner, id(agency)),
  "get /agencies/:id/statements/:period": row(onlyOwner, async (scene) => ({
    params: { id: await agency(scene), period: "2026-01" },
  })),
  "post /agencies/:id/invitations": row(onlyOwner, toMember),
  "post /agencies/invitations/:id/accept": row(onlyInvited, id(invitation)),
  "post /agencies/invitations/:id/decline": row(onlyInvited, id(invitation)),
  "post /agencies/invitations/:id/withdraw": row(onlyOwner, id(invitation)),
  "post /agencies/contracts/:id/end": row(theTwo, id(contract)),
  "get /agencies/:id/staff": row(onlyOwner, id(agency)),
  "post /agencies/:id/staff": row(onlyOwner, toMember),
  "delete /agencies/:id/staff/:userId": row(onlyOwner, async (scene) => ({
    params: { id: await agency(scene), userId: scene.member.id },
  })),
};
