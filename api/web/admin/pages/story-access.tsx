import { Button, Text } from "@mantine/core";
import { useCan } from "../account.tsx";
import { useWrite } from "../data.ts";
import { useConfirm } from "../parts/confirm.tsx";
import { formatTime } from "../parts/format.ts";
import { Rows, Section } from "../parts/section.tsx";
import { toast } from "../parts/toast.ts";
import { t } from "../texts.ts";
import type { User } from "./story.tsx";

interface Props {
  readonly of: User;
}

const ours = ["password", "phone", "guest"] as const;

/** Returns the name of a way to log in. Those of providers are their own. */
export function wayName(way: string): string {
  const own = ours.find((name) => name === way);
  return own ? t(`story.way_${own}`) : way.replace(/^oidc:/, "");
}

/** How the user logs in, and what an administrator may do about it. */
export function WaysIn({ of: user }: Props) {
  const { identities, second_factor } = user;
  const mayWrite = useCan()("users.write") && user.status !== "deleted";
  return (
    <Section
      title={t("story.ways")}
      count={identities.total}
      actions={mayWrite && second_factor && <RemoveSecondFactor of={user} />}
    >
      <Rows
        rows={identities.items}
        id={({ provider }) => provider}
        main={({ provider, subject, email }) => (
          <>
            {wayName(provider)}
            <Text size="xs" c="dimmed">
              {[subject, email].filter(Boolean).join(" · ")}
            </Text>
          </>
        )}
        side={({ provider, linked_at, last_used_at }) => (
          <>
            <Text size="xs" c="dimmed" span>
              {formatTime(last_used_at ?? linked_at)}
            </Text>
            {mayWrite && identities.total > 1 && <Unlink of={user} provider={provider} />}
          </>
        )}
      />
      <Text size="xs" c="dimmed" mt="xs">
        {t(second_factor ? "story.second_factor_on" : "story.second_factor_off")}
      </Text>
    </Section>
  );
}

function Unlink({ of: { id, full_name }, provider }: Props & { readonly provider: string }) {
  const confirm = useConfirm();
  const unlink = useWrite("unlinkUserIdentity");
  const way = wayName(provider);
  const act = async () => {
    const consequence = t("story.unlink_effect", { name: full_name, way });
    const action = t("story.unlink");
    const answer = await confirm({ title: action, consequence, action, isDanger: true, reason: "required" });
    if (!answer) return;
    await unlink.mutateAsync({ params: { id }, body: { provider, reason: answer.reason } });
    toast.done(t("story.done"));
  };
  return (
    <Button variant="default" size="compact-sm" aria-label={`${t("story.unlink")}: ${way}`} onClick={() => void act()}>
      {t("story.unlink")}
    </Button>
  );
}

function RemoveSecondFactor({ of: { id, full_name } }: Props) {
  const confirm = useConfirm();
  const remove = useWrite("removeUserSecondFactor");
  const action = t("story.remove_second_factor");
  const act = async () => {
    const consequence = t("story.remove_second_factor_effect", { name: full_name });
    const answer = await confirm({ title: action, consequence, action, isDanger: true, reason: "required" });
    if (!answer) return;
    await remove.mutateAsync({ params: { id }, body: { reason: answer.reason } });
    toast.done(t("story.done"));
  };
  return (
    <Button variant="default" size="compact-sm" onClick={() => void act()}>
      {action}
    </Button>
  );
}
