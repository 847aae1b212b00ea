import type { ExitStatus, Surroundings } from '../command.ts';
import { typedCluster } from '../in-place.ts';
import { inForm, type OutputForm } from '../output.ts';
import type { Explanation } from './explanation.ts';
import { explanationInPlace } from './explanation-in-place.ts';
import { explanationMarkdown } from './explanation-markdown.ts';
import { explanationText } from './explanation-text.ts';
import type { AskedIncident } from './incident.ts';
import { placeIncident } from './incident-place.ts';
import { explainCluster } from './look.ts';
import { pickSource, type Source, type SourceRequest } from './pick-source.ts';
import { shownTroubles } from './shown-troubles.ts';

interface AskedExplanation extends SourceRequest, AskedAbout {
  readonly output: OutputForm | 'markdown';
  readonly logs: boolean;
}

/** Explains the source once and prints it. Throws Misconfigured and Transient. */
export async function explainSource(asked: AskedExplanation, surroundings: Surroundings): Promise<ExitStatus> {
  const picked = await pickSource(asked, surroundings);
  const source = { ...picked, observed: { ...picked.observed, withLogs: asked.logs && picked.client !== undefined } };
  try {
    const incident = asked.incident && (await placeIncident(asked.incident, picked, asked, surroundings));
    const found = explanationInPlace(await explainFrom(source, asked), typedCluster(asked, surroundings));
    const explanation = incident === undefined ? found : { ...found, incident };
    surroundings.out(
      asked.output === 'markdown'
        ? explanationMarkdown(explanation)
        : await inForm(asked.output, { data: { v: 1, ...explanation }, text: () => explanationText(explanation) }),
    );
    return isFine(explanation) ? 0 : 1;
  } finally {
    await source.close();
  }
}

export interface ExplainRequest {
  readonly pools: readonly string[];
  readonly node: string | undefined;
}

export interface AskedAbout extends ExplainRequest {
  /** The incident that the pool is from; undefined: none was asked for. */
  readonly incident: AskedIncident | undefined;
}

/** Explains one source once. Throws as `explainCluster` does. */
export async function explainFrom(source: Source, { pools, node }: ExplainRequest): Promise<Explanation> {
  const { cluster, now, policy, observed, firstSeen, waitsForRender, gaps } = source;
  const explanation = await explainCluster({ cluster, now, policy, pools, node, firstSeen, waitsForRender }, observed);
  return { ...explanation, notRead: [...explanation.notRead, ...gaps()] };
}

function isFine({ pools, notRead }: Explanation): boolean {
  const found = pools.flatMap((pool) => [...shownTroubles(pool), ...(pool.asked?.findings ?? [])]);
  return notRead.length + found.length === 0;
}
