interface Place {
  /** Whether what is found can be masked there. Elsewhere, such as in a name, it is refused instead. */
  readonly masks: boolean;
}

/**
 * Everything that people write for others, and what the rules may do there. Whatever stores such a text names its
 * place: a new place is a line here. Support tickets have none: people must be able to quote what was done to them.
 */
export const places = {
  room_message: { masks: true },
  direct_message: { masks: true },
  post: { masks: true },
  comment: { masks: true },
  /** The username and the full name. */
  name: { masks: false },
  bio: { masks: true },
  /** Its name. */
  room: { masks: false },
  /** Its description, announcement, and welcome. */
  room_text: { masks: true },
  group: { masks: false },
  /** Of an upload. */
  file_name: { masks: false },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof places;
