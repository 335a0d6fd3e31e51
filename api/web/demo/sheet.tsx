import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./icons.tsx";
import { t } from "./texts.ts";

interface SheetProps {
  readonly title: string;
  /** That of the title: one below the heading of what the panel is over. */
  readonly level?: "h2" | "h3";
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A panel over the lower part of a phone. Takes the focus, and gives it back; Escape closes it. */
export function Sheet({ title, level: Heading = "h3", onClose, children }: SheetProps) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    // It is still below the edge: a scroll to it would move the whole phone.
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <div className="sheet-ground">
      <button type="button" className="sheet-shade" tabIndex={-1} aria-hidden="true" onClick={onClose} />
      <div
        className="sheet"
        role="dialog"
        aria-label={title}
        ref={panel}
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
        }}
      >
        <div className="sheet-head">
          <Heading>{title}</Heading>
          <button type="button" className="round" aria-label={t("Close {{title}}", { title })} onClick={onClose}>
            <Icon name="close" size={18} />
          </button>
        </div>
        {children}
      </div>
    </div>
  );
}
