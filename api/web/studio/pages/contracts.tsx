import { Button, Group, Stack } from "@mantine/core";
import { Async } from "../../admin/parts/async.tsx";
import { useConfirm } from "../../admin/parts/confirm.tsx";
import { formatTime } from "../../admin/parts/format.ts";
import { PageTitle } from "../../admin/parts/page-title.tsx";
import { Nothing, Rows, Section } from "../../admin/parts/section.tsx";
import { toast } from "../../admin/parts/toast.ts";
import { labelOf, t } from "../../admin/texts.ts";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { List, usePage } from "../list.tsx";
import { useGiveNotice } from "../notice.ts";
import { percent } from "../words.ts";

type Invitation = DataOf<"listOwnInvitations">["items"][number];

/** Invitations of agencies, and contracts with them. */
export default function Contracts() {
  const invitations = useRead("listOwnInvitations", { query: { limit: 100 } });
  const contracts = useRead("listOwnContracts", usePage());
  const giveNotice = useGiveNotice();
  const holds = ({ ends_at }: { readonly ends_at: string | null }) => !ends_at || Date.parse(ends_at) > Date.now();
  return (
    <>
      <PageTitle title={labelOf("resources", "contracts")} lead={t("studio.contracts_lead")} />
      <Stack>
        <Section title={t("studio.invitations")} count={invitations.data?.total}>
          <Async of={invitations} lines={2}>
            {({ items }) =>
              items.length === 0 ? (
                <Nothing>{t("studio.not_invited")}</Nothing>
              ) : (
                <Rows
                  rows={items}
                  id={({ id }) => id}
                  main={(invitation) => <Offer of={invitation} />}
                  side={(invitation) => <Answer to={invitation} />}
                />
              )
            }
          </Async>
        </Section>
        <List
          of={contracts}
          label={labelOf("resources", "contracts")}
          empty={t("studio.never_contracted")}
          keyOf={({ id }) => id}
          cells={{
            agency: ({ agency }) => <bdi>{agency.name}</bdi>,
            commission: ({ commission_basis_points }) => percent(commission_basis_points),
            starts_at: ({ starts_at }) => formatTime(starts_at),
            ends_at: ({ ends_at }) => (ends_at ? formatTime(ends_at) : "–"),
          }}
          actions={(contract) =>
            holds(contract) && !contract.ended_by ? (
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                onClick={() => void giveNotice(contract.id, contract.agency.name)}
              >
                {t("studio.end")}
              </Button>
            ) : null
          }
        />
      </Stack>
    </>
  );
}

const termOf = ({ term_months }: Invitation): string =>
  term_months === null ? t("studio.no_term") : t("studio.term", { count: term_months });

const Offer = ({ of }: { readonly of: Invitation }) => (
  <>
    <b>
      <bdi>{of.agency.name}</bdi>
    </b>
    {` · ${t("studio.commission", { percent: percent(of.commission_basis_points) })} · ${termOf(of)} · `}
    {t("studio.until", { time: formatTime(of.expires_at) })}
  </>
);

function Answer({ to: { id, agency, ...offer } }: { readonly to: Invitation }) {
  const confirm = useConfirm();
  const accept = useWrite("acceptInvitation", { onSuccess: () => toast.done(t("studio.accepted")) });
  const decline = useWrite("declineInvitation", { onSuccess: () => toast.done(t("studio.declined")) });
  const ask = async () => {
    const effect = t("studio.accept_effect", { percent: percent(offer.commission_basis_points) });
    const question = { title: t("studio.accept_of", { name: agency.name }), consequence: effect };
    if (await confirm({ ...question, action: t("studio.accept") })) accept.mutate({ params: { id } });
  };
  return (
    <Group gap="xs">
      <Button size="compact-sm" loading={accept.isPending} onClick={() => void ask()}>
        {t("studio.accept")}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={decline.isPending}
        onClick={() => decline.mutate({ params: { id } })}
      >
        {t("studio.decline")}
      </Button>
    </Group>
  );
}
