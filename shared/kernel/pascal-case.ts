/** `room:seat_requested` is `RoomSeatRequested`. */
export const pascalCase = (words: string): string =>
  words.replace(/(?:^|[^A-Za-z0-9])[^A-Za-z0-9]*([A-Za-z0-9]?)/g, (_match, first: string) => first.toUpperCase());
