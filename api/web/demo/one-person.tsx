import type { Setup } from "./demo.tsx";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";

/** Links and a QR code for two devices, with one person each. */
export const OnePerson = ({ setup, onClose }: { setup: Setup; onClose: () => void }) => (
  <div className="one-person">
    <Sheet level="h2" title={t("Open as one person")} onClose={onClose}>
      <p>{t("For two windows or devices, with one person each.")}</p>
      <div className="row">
        {setup.people.map(({ username, full_name }) => (
          <a key={username} className="button" href={`/demo?as=${username}`} target="_blank" rel="noreferrer">
            {full_name}
          </a>
        ))}
      </div>
      {setup.phone ? (
        <div className="codes">
          {setup.people.map(({ username, full_name }) => (
            <figure key={username}>
              <img
                src={`/demo/phone.svg?as=${username}`}
                width="132"
                height="132"
                alt={t("QR code of {{address}}", { address: `${setup.phone}?as=${username}` })}
              />
              <figcaption>{full_name}</figcaption>
            </figure>
          ))}
        </div>
      ) : (
        <p className="quiet">
          {t("Phones can't reach this service: it listens only on this machine. For a QR code here, start it with:")}{" "}
          <code>HOST=0.0.0.0</code>
        </p>
      )}
    </Sheet>
  </div>
);
