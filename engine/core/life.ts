/**
 * The life of an actor: `opening` → `open` → `ending`, when it has nothing more to do: only the service may still ask
 * it; or → `leaving`, when its successor in another process gets the commands. Each → `retired` when it finds that a
 * newer actor owns its state: it writes nothing more.
 */
export type Life = "opening" | "open" | "ending" | "leaving" | "retired";

/** Whether an actor ends although it is the newest. */
export const endsByItself = (life: Life): boolean => life === "ending" || life === "leaving";

/** Whether an actor accepts a command of a caller, or of the service. */
export const accepts = (life: Life, ofService: boolean): boolean =>
  life === "opening" || life === "open" || (life === "ending" && ofService);
