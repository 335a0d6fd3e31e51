import { Button } from "@mantine/core";
import { formatDuration, formatNumber, formatTime } from "../../admin/parts/format.ts";
import { t } from "../../admin/texts.ts";
import { AgencyPage, useAgencyId } from "../agency.tsx";
import { type DataOf, useRead } from "../data.ts";
import { List, usePage } from "../list.tsx";
import { useGiveNotice } from "../notice.ts";
import { nameOf, percent, periodText } from "../words.ts";

type Progress = DataOf<"listHostProgress">["items"][number];

/** The hosts of an agency, and how far they are. */
export default function Hosts() {
  const progress = useRead("listHostProgress", { params: useAgencyId(), ...usePage() }, { refetchInterval: 60_000 });
  const [first] = progress.data?.items ?? [];
  return (
    <AgencyPage title={t("studio.hosts")}>
      {({ my_role }) => (
        <>
          {first && <p>{t("studio.hosts_lead", { period: periodText(first) })}</p>}
          <List<Progress>
            of={progress}
            label={t("studio.hosts")}
            empty={t("studio.no_hosts")}
            keyOf={({ contract }) => contract?.id ?? ""}
            cells={{
              host: ({ contract }) => <bdi>{contract && nameOf(contract.host)}</bdi>,
              today: ({ today }) => formatNumber(today.earnings),
              sat: ({ today }) => formatDuration(today.seat_seconds),
              earnings: ({ earnings }) => formatNumber(earnings),
              hours: ({ seat_seconds }) => formatDuration(seat_seconds),
              weight: ({ weight }) => `${weight} %`,
              level: ({ level }) => level?.name ?? "–",
              commission: ({ contract }) => contract && percent(contract.commission_basis_points),
            }}
            headings={{
              today: t("studio.today"),
              sat: t("studio.sat_today"),
              hours: t("studio.on_seats"),
              weight: t("studio.targets_met"),
            }}
            actions={({ contract }) => contract && <Ending of={contract} isOwner={my_role === "owner"} />}
          />
        </>
      )}
    </AgencyPage>
  );
}

/** When a contract ends, or a button with which the owner gives notice. */
function Ending({ of: { id, host, ended_by, ends_at }, isOwner }: EndingProps) {
  const giveNotice = useGiveNotice();
  if (ended_by && ends_at) return t("studio.until", { time: formatTime(ends_at) });
  if (!isOwner) return null;
  return (
    <Button size="compact-sm" variant="light" color="red" onClick={() => void giveNotice(id, nameOf(host))}>
      {t("studio.end")}
    </Button>
  );
}

interface EndingProps {
  readonly of: NonNullable<Progress["contract"]>;
  readonly isOwner: boolean;
}
