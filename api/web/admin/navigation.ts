import type { Api, Permission } from "./api.ts";
import { type OwnPage, ownPages } from "./own-pages.ts";
import { genericPages } from "./resources/pages.ts";
import { labelOf, t, titleOf } from "./texts.ts";

/**
 * The groups of the navigation, named as the contexts of the domain, and the tags of the operations that belong to
 * each. Others are in the last.
 */
const groups = {
  overview: ["Statistics"],
  identity: ["Users", "Support"],
  live: ["Rooms"],
  social: ["Review queue", "Reports", "Posts", "Sanctions", "Rules", "Stickers", "Notifications", "Events"],
  money: ["Orders", "Balances", "Transactions", "Gifts", "Store"],
  catalogue: ["Catalogue"],
  operations: ["Administrators", "Settings", "Audit log", "Operations"],
} as const satisfies Record<NonNullable<OwnPage["group"]>, readonly string[]>;

export type GroupName = keyof typeof groups;

interface Entry {
  readonly path: string;
  readonly label: string;
}

export interface Group {
  readonly name: GroupName;
  readonly label: string;
  readonly entries: readonly Entry[];
}

/** The lists about the administrator's own account are in its menu. */
const accountTag = "Access";

/** Returns what an administrator can open, in groups: own pages first, then every list of the API. */
export function navigationOf(api: Api, can: (permission: Permission) => boolean): readonly Group[] {
  const lists = genericPages(api)
    .map(({ read }) => read)
    .filter(({ path, tag, permission }) => !path.includes(":") && tag !== accountTag && can(permission));
  const groupOf = (tag: string) =>
    names.find((name) => (groups[name] as readonly string[]).includes(tag)) ?? "operations";
  const names = Object.keys(groups) as GroupName[];
  return names
    .map((name) => ({
      name,
      label: labelOf("groups", name),
      entries: [
        ...ownPages
          .filter(({ group, permission }) => group === name && can(permission))
          .map(({ path, title }) => ({ path, label: t(title as never) })),
        ...lists.filter(({ tag }) => groupOf(tag) === name).map(({ path }) => ({ path, label: titleOf(path) })),
      ],
    }))
    .filter(({ entries }) => entries.length > 0);
}
