import { KubeRefusal } from './kube.ts';

/** The API server's words when it refuses; undefined when it does not. */
export async function refusalOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (cause) {
    if (!(cause instanceof KubeRefusal)) throw cause;
    return cause.message;
  }
}
