import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { useApi } from "../api.ts";
import type { Row } from "./columns.tsx";
import { nameOfRecord } from "./references.ts";

/** The name of a row, as a link to its page if it has one. */
export function RecordLink({ path, record }: { readonly path: string; readonly record: Row }) {
  const name = nameOfRecord(record);
  if (!useApi().at("get", `${path}/:id`))
    return (
      <Text span size="sm" fw={600} className="long">
        {name}
      </Text>
    );
  return (
    <Anchor component={Link} href={`${path}/${record.id}`} size="sm" fw={600} className="long">
      {name}
    </Anchor>
  );
}
