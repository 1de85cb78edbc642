import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, type ValueOf } from '../api/call.ts';

export type ShownWebhook = ValueOf<'/admin/webhook/list'>[number];
export interface WebhookList {
  readonly webhooks: readonly ShownWebhook[];
  readonly types: ValueOf<'/admin/webhook/events'>;
}

/** Milliseconds between two looks: deliveries go on. */
const POLL_MS = 15_000;

/** @param select a part of the webhooks and the types of events */
export function useWebhooks<Part = WebhookList>(select?: (list: WebhookList) => Part): UseQueryResult<Part> {
  return useQuery({
    ...(select !== undefined && { select }),
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => {
      const [webhooks, types] = await Promise.all([
        call('/admin/webhook/list', {}, { signal }),
        call('/admin/webhook/events', {}, { signal }),
      ]);
      return { webhooks, types };
    },
    refetchInterval: POLL_MS,
  });
}

/** @returns true if the last attempt of all was a failure, and something waits for another one */
export function isFailing({
  active,
  waiting,
  given_up: givenUp,
  ...health
}: Pick<ShownWebhook, 'active' | 'waiting' | 'given_up' | 'last_failure_at' | 'last_success_at'>): boolean {
  const { last_failure_at: failed, last_success_at: succeeded } = health;
  return active && waiting + givenUp > 0 && failed !== null && (succeeded === null || failed > succeeded);
}
