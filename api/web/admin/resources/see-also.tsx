import { Anchor, Group } from "@mantine/core";
import { Link } from "wouter";
import { useCan } from "../account.tsx";
import { useApi } from "../api.ts";
import { Section } from "../parts/section.tsx";
import { labelOf, t, titleOf } from "../texts.ts";
import type { Row } from "./columns.tsx";
import { linksOf } from "./links.ts";

/** Links from the page of a record to the lists that can be narrowed to it, and to what else concerns it. */
export function SeeAlso({ path, record }: { readonly path: string; readonly record: Row }) {
  const can = useCan();
  const links = linksOf(useApi(), path, record).filter(({ permission }) => can(permission));
  if (links.length === 0) return null;
  return (
    <Section title={t("parts.see_also")}>
      <Group gap="md">
        {links.map(({ href, list, field }) => (
          <Anchor key={href} component={Link} href={href} size="sm">
            {field ? `${titleOf(list)}: ${labelOf("fields", field)}` : titleOf(list)}
          </Anchor>
        ))}
      </Group>
    </Section>
  );
}
