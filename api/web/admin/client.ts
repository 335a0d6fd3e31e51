import { createAdmin, type Operations, webStorage } from "../../../shared/client/admin.ts";
import { language } from "./texts.ts";

export type OperationId = keyof Operations;

/** The one client of the console. A tab keeps its login until it is closed. */
export const admin = createAdmin({
  storage: webStorage(sessionStorage, "hubbub-admin"),
  language: () => language,
});
