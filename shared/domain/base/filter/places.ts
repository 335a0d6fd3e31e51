interface Place {
  /**
   * The rules that hold there. `all`; `alerts`: only those that ask for a review; `labels`: those that look for labels
   * of a judge, which the job asks that processes a file.
   */
  readonly rules: "all" | "alerts" | "labels";
  /** Whether what is found can be masked there. Elsewhere, such as in a name, it is refused instead. */
  readonly masks: boolean;
  /** Whether it can be held for a review, and shown afterwards. Elsewhere, it is refused instead. */
  readonly holds: boolean;
  /** Whether what is held there can look sent to its author, where spam is shadowed. Elsewhere, it looks held. */
  readonly shadows: boolean;
}

/**
 * Everything that people write or show, and what the rules may do there. Whatever stores such a thing names its place:
 * a new place is a line here, and `api/places.test.ts` asks for the place of each text that the API takes.
 */
export const places = {
  room_message: { rules: "all", masks: true, holds: true, shadows: true },
  direct_message: { rules: "all", masks: true, holds: true, shadows: true },
  post: { rules: "all", masks: true, holds: true, shadows: false },
  comment: { rules: "all", masks: true, holds: true, shadows: false },
  /** A message that is edited. */
  edit: { rules: "all", masks: true, holds: false, shadows: false },
  /** The username and the full name. */
  name: { rules: "all", masks: false, holds: false, shadows: false },
  bio: { rules: "all", masks: true, holds: false, shadows: false },
  /** Its name. */
  room: { rules: "all", masks: false, holds: false, shadows: false },
  /** Its description, announcement, and welcome; and what the host tells people whose texts they don't want. */
  room_text: { rules: "all", masks: true, holds: false, shadows: false },
  group: { rules: "all", masks: false, holds: false, shadows: false },
  /** Of an upload. */
  file_name: { rules: "all", masks: false, holds: false, shadows: false },
  /** Why a host closes a room, or puts someone out of it: those who are concerned read it. */
  reason: { rules: "all", masks: true, holds: false, shadows: false },
  /** Support must hear what was done to people, in the words that were used: nothing is refused. */
  ticket: { rules: "alerts", masks: false, holds: false, shadows: false },
  picture: { rules: "labels", masks: false, holds: false, shadows: false },
  /** A voice note. */
  audio: { rules: "labels", masks: false, holds: false, shadows: false },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof places;
type PlacesWith<Field extends keyof Place, Value> = {
  [Name in PlaceName]: (typeof places)[Name][Field] extends Value ? Name : never;
}[PlaceName];

/** The places whose texts can be held. */
export type HoldingPlace = PlacesWith<"holds", true>;
/** The places of files. */
export type FilePlace = PlacesWith<"rules", "labels">;
/** The places whose texts can be reviewed, beforehand or afterwards. */
export type TextPlace = Exclude<PlaceName, FilePlace>;
/** The places whose texts are shown at once, or refused. */
export type PlainPlace = Exclude<PlacesWith<"rules", "all">, HoldingPlace>;
