/** What is there now or later. Most of it is there now, and takes no turn of the event loop. */
export type Later<T> = T | Promise<T>;

/** Does what follows from a result, at once if it is there. */
export const andThen = <T, R>(result: Later<T>, next: (value: T) => Later<R>): Later<R> =>
  result instanceof Promise ? result.then(next) : next(result);
