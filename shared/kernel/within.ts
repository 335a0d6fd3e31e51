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
