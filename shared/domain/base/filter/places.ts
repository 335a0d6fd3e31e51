interface Place {
  /** Whether what is found can be masked there. Elsewhere, such as in a name, it is refused instead. */
  readonly masks: boolean;
  /** Whether it can be held for a review, and shown afterwards. Elsewhere, it is refused instead. */
  readonly holds: boolean;
}

/**
 * Everything that people write for others, and what the rules may do there. Whatever stores such a text names its
 * place: a new place is a line here. Support tickets have none: people must be able to quote what was done to them.
 */
export const places = {
  room_message: { masks: true, holds: true },
  direct_message: { masks: true, holds: true },
  post: { masks: true, holds: true },
  comment: { masks: true, holds: true },
  /** A message that is edited. */
  edit: { masks: true, holds: false },
  /** The username and the full name. */
  name: { masks: false, holds: false },
  bio: { masks: true, holds: false },
  /** Its name. */
  room: { masks: false, holds: false },
  /** Its description, announcement, and welcome. */
  room_text: { masks: true, holds: false },
  group: { masks: false, holds: false },
  /** Of an upload. */
  file_name: { masks: false, holds: false },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof places;
/** The places whose texts can be held. */
export type HoldingPlace = {
  [Name in PlaceName]: (typeof places)[Name]["holds"] extends true ? Name : never;
}[PlaceName];
