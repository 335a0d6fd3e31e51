import { fileURLToPath } from "node:url";
import express, { type RequestHandler } from "express";

/** The small pictures of the demo data, which we have drawn. Apps on other origins show them, too. */
export const demoArt: RequestHandler = express.static(fileURLToPath(new URL("art", import.meta.url)), {
  index: false,
  redirect: false,
  maxAge: "1d",
  setHeaders: (res) => {
    res.set("Cross-Origin-Resource-Policy", "cross-origin");
    res.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  },
});
