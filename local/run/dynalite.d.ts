declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** An embedded DynamoDB. `path`: folder of its LevelDB; undefined: in memory. */
  export default function dynalite(options: { readonly path?: string; readonly createTableMs?: number }): Server;
}
