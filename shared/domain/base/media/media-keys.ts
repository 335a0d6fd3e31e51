/**
 * Names of objects in the store. All of a medium are below its ID: rows that show a public one contain `media/<id>/`,
 * by which the database counts them.
 */
export const uploadKey = (id: string): string => `${uploadPrefix(id)}original`;

/** The prefix of what was uploaded, and of what is left of transfers that never ended. */
export const uploadPrefix = (id: string): string => `uploads/media/${id}/`;

/** A file's name has a hash of its content: it can be cached for ever. */
export const fileKey = (id: string, file: string, isPrivate: boolean): string =>
  `${isPrivate ? "private/" : ""}media/${id}/${file}`;

/** The prefixes of everything that is stored of a medium. */
export const prefixesOf = (id: string): string[] => [uploadPrefix(id), `media/${id}/`, `private/media/${id}/`];

/** Is it the key of a file that can be read? Only names that we have given pass: no paths, no dots at the beginning. */
export const isFileName = (name: string): boolean => /^[0-9a-f]{16}-[a-z]{1,10}\.[a-z0-9]{2,5}$/.test(name);
