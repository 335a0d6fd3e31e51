import { createClient, type Operations, webStorage } from "../../../shared/client/client.ts";
import type { Data } from "../../../shared/client/rest.ts";
import { dataOf } from "../admin/reads.ts";
import { language } from "../admin/texts.ts";

/** The one client of the studio. A tab keeps its login until it is closed. */
export const hubbub = createClient({
  storage: webStorage(sessionStorage, "hubbub-studio"),
  language: () => language,
});

export const { useRead, useWrite } = dataOf<Operations>(hubbub.request);

export type DataOf<Op extends keyof Operations> = Data<Operations, Op>;
