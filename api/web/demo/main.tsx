import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Demo } from "./demo.tsx";
import "./styles/base.css";
import "./styles/phone.css";
import "./styles/room.css";
import "./styles/games.css";
import "./styles/below.css";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Demo />
  </StrictMode>,
);
