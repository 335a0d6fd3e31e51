import { type Debugger, Session } from "node:inspector";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/** What the thread is given. */
export interface Watching {
  /** The process adds to it while its event loop turns. */
  readonly beats: Int32Array;
  /** For how long the event loop must stand still, milliseconds: a multiple of 200. */
  readonly blockedMs: number;
  /** The folders of the extensions as URLs, by name. */
  readonly folders: Readonly<Record<string, string>>;
}

const lookMs = 200;
const { beats, blockedMs, folders } = workerData as Watching;

/** Calls back with the URLs of the scripts that the process runs now. It is stopped for that, and goes on. */
function lookAt(tell: (urls: (string | undefined)[]) => void): void {
  const urls = new Map<string, string>();
  const session = new Session();
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }: { params: Debugger.PausedEventDataType }) => {
    session.disconnect();
    tell(params.callFrames.map(({ location }) => urls.get(location.scriptId)));
  });
  session.post("Debugger.enable");
  session.post("Debugger.pause");
}

// Without a listener, the thread would end.
parentPort!.on("message", () => process.exit());
for (let last = 0, looks = 0; ; ) {
  await pause(lookMs);
  const beat = Atomics.load(beats, 0);
  looks = beat === last ? looks + 1 : 0;
  last = beat;
  // Counted, because this thread may have been stopped, too.
  if (looks === 0 || (looks * lookMs) % blockedMs !== 0) continue;
  lookAt((urls) => {
    const found = Object.entries(folders).find(([, folder]) => urls.some((url) => url?.startsWith(folder)));
    if (found) parentPort!.postMessage(found[0]);
  });
}
