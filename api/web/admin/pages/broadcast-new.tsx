import { Alert, Button, Paper, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import { useCan } from "../account.tsx";
import { fieldErrors, type Input, useRead, useWrite } from "../data.ts";
import { useConfirm } from "../parts/confirm.tsx";
import { formatTime } from "../parts/format.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { ReferencesInput } from "../parts/reference-input.tsx";
import { t } from "../texts.ts";
import "./pages.css";

type Body = Input<"createBroadcast">["body"];
const audiences = ["all", "vip", "country", "user_ids"] as const;

interface Draft {
  readonly title: string;
  readonly body: string;
  readonly audience: Body["audience"];
  readonly country: string;
  readonly user_ids: readonly string[];
  /** As the input has it, in the time zone of the browser. Empty: now. */
  readonly at: string;
}

const empty: Draft = { title: "", body: "", audience: "all", country: "", user_ids: [], at: "" };

const bodyOf = ({ title, body, audience, country, user_ids, at }: Draft): Body => ({
  title,
  body,
  audience,
  ...(audience === "country" && { country: country.toUpperCase() }),
  ...(audience === "user_ids" && { user_ids: [...user_ids] }),
  ...(at && { scheduled_at: new Date(at).toISOString() }),
});

/** Writes a notification to many users. Before it is sent, it says how many and what they will see. */
export default function NewBroadcast() {
  const [draft, setDraft] = useState(empty);
  const [, navigate] = useLocation();
  const confirm = useConfirm();
  const create = useWrite("createBroadcast", { onError: () => {} });
  const size = useAudienceSize(draft);
  const errors = fieldErrors(create.error);
  const change = (patch: Partial<Draft>) => setDraft((now) => ({ ...now, ...patch }));

  const send = async (event: FormEvent) => {
    event.preventDefault();
    const count = size ?? 0;
    const consequence = draft.at
      ? t("broadcast.later_effect", { count, time: formatTime(new Date(draft.at).toISOString()) })
      : t("broadcast.now_effect", { count });
    if (!(await confirm({ title: t("broadcast.send"), consequence, action: t("broadcast.send"), isDanger: true })))
      return;
    const sent = await create.mutateAsync({ body: bodyOf(draft) }).catch(() => undefined);
    if (sent) navigate(`/notifications/${sent.id}`);
  };
  const text = (name: "title" | "body" | "country" | "at") => ({
    value: draft[name],
    error: errors[name === "at" ? "scheduled_at" : name],
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <PageTitle title={t("broadcast.new")} lead={t("broadcast.lead")} />
      <form onSubmit={(event) => void send(event)} className="columns">
        <Paper withBorder p="md">
          <Stack>
            <TextInput label={t("broadcast.title")} required maxLength={100} {...text("title")} />
            <Textarea label={t("broadcast.body")} required maxLength={500} autosize minRows={3} {...text("body")} />
            <Radio.Group
              label={t("broadcast.audience")}
              value={draft.audience}
              onChange={(value) => change({ audience: value as Draft["audience"] })}
            >
              <Stack gap={6} mt={4}>
                {audiences.map((value) => (
                  <Radio key={value} value={value} label={t(`broadcast.to.${value}`)} />
                ))}
              </Stack>
            </Radio.Group>
            {draft.audience === "country" && (
              <TextInput
                label={t("broadcast.country")}
                description={t("broadcast.country_hint")}
                required
                minLength={2}
                maxLength={2}
                {...text("country")}
              />
            )}
            {draft.audience === "user_ids" && (
              <ReferencesInput
                type="user"
                label={t("broadcast.people")}
                value={draft.user_ids}
                onChange={(user_ids) => change({ user_ids })}
              />
            )}
            <TextInput
              type="datetime-local"
              label={t("broadcast.at")}
              description={t("broadcast.at_hint")}
              {...text("at")}
            />
          </Stack>
        </Paper>
        <Preview of={draft} size={size}>
          {create.error && (
            <Alert color="red" role="alert">
              {create.error.message}
            </Alert>
          )}
          <Button type="submit" loading={create.isPending} disabled={size === 0}>
            {t("broadcast.send")}
          </Button>
        </Preview>
      </form>
    </>
  );
}

/** How many users it reaches; undefined while that isn't known. */
function useAudienceSize({ audience, country, user_ids }: Draft): number | undefined {
  const can = useCan();
  const isCounted = audience === "all" || audience === "vip" || (audience === "country" && /^[a-z]{2}$/i.test(country));
  const query = { audience, ...(audience === "country" && { country: country.toUpperCase() }) };
  const counted = useRead("getAudience", { query } as Input<"getAudience">, {
    enabled: isCounted && can("notifications.read"),
  });
  if (audience === "user_ids") return user_ids.length;
  return isCounted && !counted.isPlaceholderData ? counted.data?.recipients : undefined;
}

interface PreviewProps {
  readonly of: Draft;
  readonly size: number | undefined;
  readonly children: ReactNode;
}

const Preview = ({ of: { title, body }, size, children }: PreviewProps) => (
  <Paper withBorder p="md" component="section" aria-label={t("broadcast.preview")}>
    <Stack>
      <Text fw={600}>{t("broadcast.preview")}</Text>
      <div className="phone-preview">
        <b>{title || t("broadcast.title")}</b>
        <div>{body || t("broadcast.body")}</div>
      </div>
      <Text role="status">
        {size === undefined ? t("broadcast.unknown_size") : t("broadcast.reaches", { count: size })}
      </Text>
      {children}
    </Stack>
  </Paper>
);
