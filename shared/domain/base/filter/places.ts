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
}

/**
 * Everything that people write or show, and what the rules may do there. Whatever stores such a thing names its place:
 * a new place is a line here, and `api/places.test.ts` asks for the place of each text that the API takes.
 */
export const places = {
  room_message: { rules: "all", masks: true, holds: true },
  direct_message: { rules: "all", masks: true, holds: true },
  post: { rules: "all", masks: true, holds: true },
  comment: { rules: "all", masks: true, holds: true },
  /** A message that is edited. */
  edit: { rules: "all", masks: true, holds: false },
  /** The username and the full name. */
  name: { rules: "all", masks: false, holds: false },
  bio: { rules: "all", masks: true, holds: false },
  /** Its name. */
  room: { rules: "all", masks: false, holds: false },
  /** Its description, announcement, and welcome; and what the host tells people whose texts they don't want. */
  room_text: { rules: "all", masks: true, holds: false },
  group: { rules: "all", masks: false, holds: false },
  /** Of an upload. */
  file_name: { rules: "all", masks: false, holds: false },
  /** Why a host closes a room, or puts someone out of it: those who are concerned read it. */
  reason: { rules: "all", masks: true, holds: false },
  /** Support must hear what was done to people, in the words that were used: nothing is refused. */
  ticket: { rules: "alerts", masks: false, holds: false },
  picture: { rules: "labels", masks: false, holds: false },
  /** A voice note. */
  audio: { rules: "labels", masks: false, holds: false },
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
