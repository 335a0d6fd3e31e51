import { App } from "./app.tsx";
import { mount } from "./mount.tsx";

mount(<App />);
