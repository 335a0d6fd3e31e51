import type { ReactNode } from "react";
import { useCan } from "./account.tsx";
import type { OwnPage } from "./own-pages.ts";
import { Failure } from "./parts/async.tsx";
import { t } from "./texts.ts";

/** Shows a page to those who may read what it shows. */
export function Permitted({ permission, children }: Pick<OwnPage, "permission"> & { readonly children: ReactNode }) {
  const can = useCan();
  return can(permission) ? children : <Failure error={new Error(t("shell.forbidden"))} />;
}
