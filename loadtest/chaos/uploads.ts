import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Media, MediaUpload } from "#shared/contracts/views.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";
import type { Act, Person } from "./person.ts";
import type { World } from "./world.ts";

/** A file that a person uploads, and may delete again. A step is repeated until its outcome is known. */
export interface Upload {
  readonly id: string;
  /** Where its bytes go. */
  readonly path: string;
  readonly text: string;
  step: "send" | "complete" | "delete" | "ready" | "deleted";
  /** Whether a deletion without a known outcome may have taken effect. */
  mayBeDeleted?: boolean;
}

const type = "text/plain";
const drainEveryMs = 300;
/** What was sent, what is shown, and what a transfer has left. */
const isFile = /\.\w+$|\/original$/;
/** The most differences that are listed. */
const listed = 10;

export const isOver = ({ step }: Upload): boolean => step === "ready" || step === "deleted";

/** Takes the next step of the person's upload, or announces another one. */
async function upload(person: Person, world: World): Promise<void> {
  const open = person.uploads.find((one) => !isOver(one));
  if (open) return takeStep(person, world, open);
  const text = world.newKey();
  const announced = await person.call("post", "/media", {
    purpose: "conversation",
    content_type: type,
    bytes: text.length,
  });
  if (announced.kind !== "done") return;
  const { id, upload: to } = announced.data as MediaUpload;
  person.uploads.push({ id, path: new URL(to.url).pathname, text, step: "send" });
}

/** Returns what is wrong with the answer. */
type Step = (one: Upload, person: Person, world: World) => Promise<string | undefined>;

const send: Step = async (one, person, world) => {
  const sending = { method: "PUT", headers: { "content-type": type }, body: one.text };
  const answer = await world.send(person.dice.pick(world.cluster.nodes), one.path, sending);
  if ("kind" in answer || answer.status >= 500) return undefined;
  if (answer.status === 204) one.step = "complete";
  return answer.status === 204 ? undefined : `takes no bytes: ${answer.body}`;
};

const complete: Step = async (one, person) => {
  const outcome = await person.call("post", `/media/${one.id}/complete`);
  if (outcome.kind === "refused") return `was sent, and can't be completed: ${outcome.code}`;
  if (outcome.kind === "unknown") return undefined;
  const { state, reason } = outcome.data as Media;
  if (state === "ready") one.step = person.dice.chance(0.4) ? "delete" : "ready";
  return state === "rejected" ? `is rejected: ${reason}` : undefined;
};

const remove: Step = async (one, person) => {
  const outcome = await person.call("delete", `/media/${one.id}`);
  const isGone = outcome.kind === "refused" && outcome.code === "NOT_FOUND" && one.mayBeDeleted;
  if (outcome.kind === "done" || isGone) one.step = "deleted";
  if (outcome.kind === "unknown") one.mayBeDeleted = true;
  return outcome.kind === "refused" && !isGone ? `can't be deleted: ${outcome.code}` : undefined;
};

const steps: { readonly [Name in Upload["step"]]?: Step } = { send, complete, delete: remove };

async function takeStep(person: Person, world: World, one: Upload): Promise<void> {
  const wrong = await steps[one.step]?.(one, person, world);
  if (wrong) world.fault(`Upload ${one.id} of ${person.name} ${wrong}.`);
}

export const uploadActs: readonly Act[] = [{ name: "upload", weight: 2, run: upload }];

type Rows = <Row extends object>(sql: string) => Promise<Row[]>;

/** Has the jobs of uploads run now: those of dead processes, and those that wait for what comes late. */
const hurry = `UPDATE pgboss.job SET state = 'retry', start_after = now()
  WHERE state IN ('created', 'retry', 'active') AND name IN ('media.process', 'media.remove_objects')`;

/** Ends all uploads, and compares what is stored with what was acknowledged. Returns what differs in the end. */
export async function drainUploads(world: World, rows: Rows, withinMs: number): Promise<string[]> {
  const deadlineMs = performance.now() + withinMs;
  const open = () => world.people.filter(({ uploads }) => !uploads.every(isOver));
  await rows(hurry);
  for (let left = open(); left.length > 0; left = open()) {
    if (performance.now() > deadlineMs) return [`Uploads of ${left.length} people wait for good.`];
    await Promise.all(left.map((person) => upload(person, world)));
    await pause(drainEveryMs);
  }
  await rows(hurry);
  let differences = await compare(world, rows);
  while (differences.length > 0 && performance.now() < deadlineMs) {
    await pause(drainEveryMs);
    differences = await compare(world, rows);
  }
  return [...world.faults.splice(0), ...differences].slice(0, listed);
}

/** What is ready has one file, as it was sent, and nothing else has any. */
async function compare({ people, cluster }: World, rows: Rows): Promise<string[]> {
  const stored = await rows<{ id: string; state: string }>("SELECT id, state FROM media WHERE state <> 'pending'");
  const states = new Map(stored.map(({ id, state }) => [id, state]));
  const folder = join(cluster.data.folder, "media");
  const files = new Map<string, string[]>();
  for (const path of (await readdir(folder, { recursive: true }).catch(unlessAbsent)) ?? []) {
    const id = path.split("/").at(-2)!;
    if (isFile.test(path)) files.set(id, [...(files.get(id) ?? []), await readFile(join(folder, path), "utf8")]);
  }
  const uploads = people.flatMap((person) => person.uploads);
  const known = new Set(uploads.map(({ id }) => id));
  return [
    ...uploads.flatMap(({ id, step, text }) => {
      const [state, found] = [states.get(id), files.get(id) ?? []];
      const isRight = state === step && found.join() === (step === "ready" ? text : "");
      return isRight ? [] : [`Upload ${id} is ${state}, not ${step}, or has wrong files: ${found.join(", ")}.`];
    }),
    ...[...states.keys(), ...files.keys()].flatMap((id) =>
      known.has(id) ? [] : [`Upload ${id} was never sent, and there is more of it than its announcement.`],
    ),
  ];
}
