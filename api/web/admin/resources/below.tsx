import { Button } from "@mantine/core";
import { Link, useParams } from "wouter";
import { useCan } from "../account.tsx";
import { t, titleOf } from "../texts.ts";
import type { GenericPage } from "./pages.ts";

/** Links to the pages below a page, with its record. */
export function Below({ page: { below } }: { readonly page: GenericPage }) {
  const can = useCan();
  const { id = "" } = useParams();
  return below
    .filter(({ permission }) => can(permission))
    .map(({ path, title }) => (
      <Button key={path} component={Link} href={path.replace(":id", id)} variant="default">
        {title ? t(title as never) : titleOf(path)}
      </Button>
    ));
}
