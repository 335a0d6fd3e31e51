import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const bytes = 16 * 1024 * 1024;

/** The data folder of all processes, on a disk of its own, which can be full. Only root can make that disk. */
export class SmallDisk {
  readonly folder: string;
  readonly #isMounted: boolean;

  private constructor(folder: string, isMounted: boolean) {
    this.folder = folder;
    this.#isMounted = isMounted;
  }

  /** Makes it in `parent`; only the folder if it never has to be full. */
  static async make(parent: string, mayBeFull: boolean): Promise<SmallDisk> {
    const folder = join(parent, "data");
    await mkdir(folder);
    if (!mayBeFull) return new SmallDisk(folder, false);
    const mounting = run("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
    return new SmallDisk(
      folder,
      await mounting.then(
        () => true,
        () => false,
      ),
    );
  }

  get canBeFull(): boolean {
    return this.#isMounted;
  }

  /** Leaves no byte. */
  async fill(): Promise<void> {
    if (!this.#isMounted) return;
    await writeFile(this.#filler, Buffer.alloc(bytes)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOSPC") throw error;
    });
  }

  async free(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  async remove(): Promise<void> {
    if (this.#isMounted) await run("umount", ["--lazy", this.folder]);
  }

  get #filler(): string {
    return join(this.folder, "filler");
  }
}
