const absent = new Set(["ENOENT", "ENOTDIR", "ESRCH"]);

/** Handles the error of a read: returns undefined if there is no such file or process, and rethrows any other error. */
export function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (absent.has(error.code ?? "")) return undefined;
  throw error;
}
