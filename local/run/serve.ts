import { defaultPort } from './default-port.ts';
import { isTaken } from './is-taken.ts';
import { type LocalServer, type LocalServerOptions, type Routes, startLocalServer } from './local-server.ts';

/** How many ports are tried after the default one. */
const portsTried = 20;

export interface ChosenPort {
  /** 0: any free port. */
  readonly port: number;
  /** Whether it was chosen: then a port in use is an error; otherwise the next one is tried. */
  readonly isPortChosen: boolean;
}

/** Serves on the requested port; the default port is replaced by the next free one. Throws what `listen` throws. */
export async function serve(
  routes: Routes,
  { port, isPortChosen }: ChosenPort,
  options: LocalServerOptions = {},
): Promise<LocalServer> {
  if (isPortChosen) return startLocalServer(routes, port, options);
  for (let next = defaultPort; ; next += 1) {
    try {
      return await startLocalServer(routes, next, options);
    } catch (cause) {
      if (!isTaken(cause) || next >= defaultPort + portsTried) throw cause;
    }
  }
}
