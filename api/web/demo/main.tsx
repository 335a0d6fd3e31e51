import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Demo } from "./demo.tsx";
import { startTexts } from "./texts.ts";
import "./styles/base.css";
import "./styles/phone.css";
import "./styles/room.css";
import "./styles/games.css";
import "./styles/below.css";

await startTexts({
  hi: () => import("./languages/hi.json", { with: { type: "json" } }),
  ar: () => import("./languages/ar.json", { with: { type: "json" } }),
  es: () => import("./languages/es.json", { with: { type: "json" } }),
  pt: () => import("./languages/pt.json", { with: { type: "json" } }),
  id: () => import("./languages/id.json", { with: { type: "json" } }),
});
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Demo />
  </StrictMode>,
);
