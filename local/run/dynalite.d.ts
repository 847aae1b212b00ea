declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** An embedded DynamoDB. `path`: folder of its LevelDB; without it everything is in memory. */
  export default function dynalite(options: { readonly path?: string; readonly createTableMs?: number }): Server;
}
