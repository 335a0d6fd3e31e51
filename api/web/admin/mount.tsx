import { DirectionProvider, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { variables } from "./colors.ts";
import { queries } from "./reads.ts";
import { theme } from "./theme.ts";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./console.css";

/** Shows a page of these components in the document that the server has sent. */
export function mount(page: ReactNode): void {
  const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
  // The library that keeps the page from scrolling below a dialog reads it from here.
  Object.assign(globalThis, { __webpack_nonce__: nonce });

  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <DirectionProvider>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={variables}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <Notifications position="bottom-right" />
          <QueryClientProvider client={queries}>{page}</QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  );
}
