import { mount } from "../admin/mount.tsx";
import { App } from "./app.tsx";

mount(<App />);
