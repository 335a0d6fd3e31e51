import { Badge, Button, Group, Pagination, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { AuditLogEntry } from "../../../../shared/client/admin.ts";
import { type Input, useRead } from "../data.ts";
import { useAddress } from "../parts/address.ts";
import { Async } from "../parts/async.tsx";
import { Differences } from "../parts/differences.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { ReferenceInput } from "../parts/reference-input.tsx";
import { Nothing } from "../parts/section.tsx";
import { t } from "../texts.ts";
import "./pages.css";

const texts = ["action", "target_type", "target_id"] as const;

/** Who changed what, with what it was before. The filters are in the address. */
export default function Audit() {
  const [query, change] = useAddress();
  const page = Math.max(1, Number(query.page) || 1);
  const { days: _days, page: _page, ...filters } = query;
  const log = useRead("listAuditLogs", { query: { ...asTimes(filters), page, limit: 20 } } as Input<"listAuditLogs">);
  return (
    <>
      <PageTitle title={t("audit.title")} lead={t("audit.lead")} />
      <Filters key={JSON.stringify(query)} query={query} onChange={(patch) => change({ ...patch, page: undefined })} />
      <Async of={log}>
        {({ items, total_pages }) => (
          <Stack>
            {items.length === 0 && <Nothing>{t("audit.none")}</Nothing>}
            {items.map((entry) => (
              <Entry key={entry.id} of={entry} onFilter={(patch) => change({ ...patch, page: undefined })} />
            ))}
            {total_pages > 1 && (
              <Pagination
                value={page}
                total={total_pages}
                siblings={1}
                onChange={(next) => change({ page: String(next) })}
                getControlProps={(control) => ({ "aria-label": t(`pages.${control}`) })}
                getItemProps={(number) => ({ "aria-label": t("pages.page", { number }) })}
              />
            )}
          </Stack>
        )}
      </Async>
    </>
  );
}

/** A date in the address is the whole day, in the time zone of the browser. */
function asTimes({ from, to, ...others }: Readonly<Record<string, string>>) {
  const next = to ? new Date(`${to}T00:00`) : undefined;
  next?.setDate(next.getDate() + 1);
  return {
    ...others,
    ...(from && { from: new Date(`${from}T00:00`).toISOString() }),
    ...(next && { to: next.toISOString() }),
  };
}

type Patch = Record<string, string | undefined>;

interface FilterProps {
  readonly query: Readonly<Record<string, string>>;
  readonly onChange: (patch: Patch) => void;
}

function Filters({ query, onChange }: FilterProps) {
  const [typed, setTyped] = useState<Patch>({});
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onChange(typed);
  };
  const field = (name: string) => ({
    value: typed[name] ?? query[name] ?? "",
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setTyped((now) => ({ ...now, [name]: value }));
    },
  });
  return (
    <Paper withBorder p="md" mb="md" component="form" onSubmit={apply} aria-label={t("audit.filters")}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        <ReferenceInput
          type="admin"
          label={t("audit.actor")}
          value={query.actor_id ?? null}
          onChange={(id) => onChange({ actor_id: id ?? undefined })}
        />
        {texts.map((name) => (
          <TextInput key={name} label={t(`audit.${name}`)} {...field(name)} />
        ))}
        <TextInput type="date" label={t("audit.from")} {...field("from")} />
        <TextInput type="date" label={t("audit.to")} {...field("to")} />
      </SimpleGrid>
      <Group mt="sm">
        <Button type="submit" size="xs">
          {t("audit.apply")}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange(Object.fromEntries(Object.keys(query).map((name) => [name, undefined])))}
        >
          {t("audit.clear")}
        </Button>
      </Group>
    </Paper>
  );
}

interface EntryProps {
  readonly of: AuditLogEntry;
  readonly onFilter?: (patch: Patch) => void;
}

/** An entry of the audit log: who, what, to what, and the fields that changed. */
export function Entry({ of: entry, onFilter }: EntryProps) {
  const { at, actor_id, actor_kind, role, action, target_type, target_id, before, after, reason, ip } = entry;
  return (
    <Paper withBorder p="sm" component="article" className="part" aria-label={`${action}, ${formatTime(at)}`}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          {onFilter ? (
            <Button size="compact-xs" variant="light" onClick={() => onFilter({ action })}>
              {action}
            </Button>
          ) : (
            <Badge variant="light" tt="none">
              {action}
            </Badge>
          )}
          <Target type={target_type} id={target_id} />
        </Group>
        <Text size="xs" c="dimmed">
          #{entry.seq} · {formatTime(at)}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" my={4}>
        {actor_kind === "admin" && actor_id ? <Named type="admin" id={actor_id} /> : t("audit.visitor")}
        {role && ` (${role})`} · {ip}
      </Text>
      {reason && <Text size="sm">“{reason}”</Text>}
      <Differences before={before} after={after} />
    </Paper>
  );
}

const isId = /^([0-9a-f]{8}-|\d+$)/;

const Target = ({ type, id }: { readonly type: string; readonly id: string }) =>
  isId.test(id) ? <Named type={type} id={id} /> : <Text size="sm" span>{`${type} ${id}`}</Text>;
