import type * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import type { GithubAuthorization } from './github-authorization.ts';
import { githubHeaders, githubRefusal, isMoved, movedTo, parseExact, plainFetch, textWithin } from './github-http.ts';
import { type GithubLimits, githubLimits } from './github-limits.ts';

export interface GithubAnswersOptions {
  /** Base URL without a trailing slash. */
  readonly api: string;
  readonly authorization: GithubAuthorization;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Milliseconds, per request. */
  readonly timeoutMs: number;
  /** Bytes, per answer. */
  readonly answerAtMost: number;
  /** What is known of them besides; absent: nothing. */
  readonly limits?: GithubLimits;
}

export interface GithubQuestion<T> {
  /** After the repository's own address. */
  readonly path: string;
  readonly shape: z.ZodType<T>;
  readonly what: string;
  readonly signal: AbortSignal;
  /** ETag of an earlier answer. */
  readonly etag?: string | undefined;
  /** Asks for the id of a commit as plain text, without its files. Absent: JSON. */
  readonly accept?: 'application/vnd.github.sha';
}

export type GithubAnswer<T> =
  | { readonly kind: 'answer'; readonly body: T; readonly etag: string | undefined }
  /** Nothing has changed since the answer with that mark; costs nothing of the limit. */
  | { readonly kind: 'unchanged' }
  /** 404, 409 for an empty repository, 422 for an id that is no commit. */
  | { readonly kind: 'absent'; readonly status: number };

/** Reads about repositories: each request is retried once if the first attempt failed transiently, and none is made,
 *  nor is signed in for one, while GitHub wants us to wait. */
export function githubAnswers(options: GithubAnswersOptions) {
  const { api, authorization, clock, deadline, timeoutMs, answerAtMost, limits = githubLimits(clock) } = options;

  async function once(url: string, repository: string, question: GithubQuestion<unknown>, fresh: boolean) {
    const headers = {
      ...githubHeaders(await authorization(repository, { fresh })),
      ...given({ accept: question.accept }),
      ...(question.etag === undefined ? {} : { 'if-none-match': question.etag }),
    };
    return plainFetch(url, { headers, signal: AbortSignal.any([deadline(timeoutMs), question.signal]) });
  }

  async function respond(repository: string, question: GithubQuestion<unknown>): Promise<Response> {
    const url = `${api}/repos/${repository}${question.path}`;
    const first = await once(url, repository, question, false).catch((cause: unknown) => {
      // Busy: the sign-in was told to wait.
      if (question.signal.aborted || !(cause instanceof Transient) || cause.kind === 'busy') throw cause;
      return undefined;
    });
    const isRefused = first?.status === 401;
    const isFinal = first !== undefined && !isRefused && first.status < 500;
    if (!isFinal) await first?.body?.cancel();
    const response = isFinal ? first : await once(url, repository, question, isRefused);
    if (!isMoved(response)) return response;
    await response.body?.cancel();
    return once(movedTo(response, url), repository, question, false);
  }

  async function read<T>(response: Response, { shape, what, accept }: GithubQuestion<T>): Promise<GithubAnswer<T>> {
    const text = await textWithin(response, answerAtMost).catch((cause: unknown) => {
      throw new Transient(`GitHub broke off its answer (${what})`, { kind: 'unreachable', cause });
    });
    if (text === undefined) throw new Transient(`GitHub's answer is too large (${what})`);
    const body = shape.safeParse(accept === undefined ? parseExact(text) : text);
    if (!body.success) throw new Transient(`GitHub's answer has an unexpected form (${what})`);
    return { kind: 'answer', body: body.data, etag: response.headers.get('etag') ?? undefined };
  }

  return async function ask<T>(repository: string, question: GithubQuestion<T>): Promise<GithubAnswer<T>> {
    limits.refuseWhileLimited(repository, question.what);
    const response = await respond(repository, question).catch((cause: unknown) => {
      if (cause instanceof Transient) limits.noteRefusal(repository, cause);
      throw cause;
    });
    limits.note(repository, response);
    if (response.status === 200) return read(response, question);
    if (response.status === 304) return { kind: 'unchanged' };
    if (![404, 409, 422].includes(response.status)) {
      const asked = 'may our credentials read the contents of the repository?';
      const refusal = await githubRefusal({ response, what: question.what, question: asked });
      limits.noteRefusal(repository, refusal);
      throw refusal;
    }
    await response.body?.cancel();
    return { kind: 'absent', status: response.status };
  };
}

export type AskGithub = ReturnType<typeof githubAnswers>;
