/** Waits until work has ended, but no longer than `limitMs`. It isn't stopped then. @throws what the work throws */
export async function atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Waits for work, which isn't stopped when it takes longer. @throws Error with the message when it does */
export async function within<T>(limitMs: number, work: Promise<T>, message: string | (() => string)): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(typeof message === "string" ? message : message())), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
