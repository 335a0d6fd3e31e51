/** Names that look like the service itself, or that clients need in addresses. */
const reserved = new Set(
  `about abuse account accounts admin administrator admins anonymous api app auth billing blocked bot bots coins config
  contact deleted deleteduser docs everyone feedback friends game games gift gifts guest help helpdesk host hubbub
  hubbubadmin hubbubapp hubbubhelp hubbubofficial hubbubsupport hubbubteam info legal live login logout mail mod moderator
  moderators mods news nobody noreply notification notifications null official online owner pay payment payments
  postmaster privacy register report reports room rooms root safety search security service settings shop signup somebody
  staff status store superadmin superuser support sysadmin system team terms test undefined unknown user username users
  verified verify vip voice wallet webmaster you`.split(/\s+/),
);

/**
 * Returns whether a username (in lower case) is reserved. Dots and underscores are ignored: `a_d.min` is `admin`. The
 * names of deleted accounts are reserved too.
 */
export const isReservedUsername = (username: string): boolean =>
  reserved.has(username.replace(/[._]/g, "")) || username.startsWith("deleted_");
