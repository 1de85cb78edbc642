import { randomUUID } from 'node:crypto';

import { DeliveryStore } from '../../webhooks/delivery-store.ts';
import { WebhookStore } from '../../webhooks/webhook-store.ts';
import { DeliveryDispatcher } from '../../webhooks/delivery-dispatcher.ts';
import type { HttpWebhookSender } from '../../webhooks/sending/http-sender.ts';
import { WebhookService } from '../../webhooks/webhook-service.ts';
import { packageVersion } from '../../kernel/package-version.ts';
import type { SharedParts } from '../shared-parts.ts';

/** The administration of receivers of events. */
export interface WebhookServices {
  readonly webhooks: WebhookService;
  /** Makes the one that delivers events in the background of this process. */
  readonly webhookDispatcher: () => Promise<DeliveryDispatcher>;
}

export function webhookServices(shared: SharedParts): WebhookServices {
  const { database, vault, clock, random, log } = shared;
  return {
    webhooks: new WebhookService({
      vault,
      clock,
      random,
      store: new WebhookStore({ database }),
      configuration: shared.configuration,
      access: shared.access,
      sender: openSender,
      newId: () => randomUUID(),
    }),
    webhookDispatcher: async () =>
      new DeliveryDispatcher({
        vault,
        clock,
        random,
        log,
        metrics: shared.metrics.webhooks,
        pruningTime: () => shared.pruningClock.time(),
        store: new DeliveryStore({ database }),
        sender: await openSender(),
      }),
  };
}

/** Loads the HTTP client only where it is used. */
async function openSender(): Promise<HttpWebhookSender> {
  const { HttpWebhookSender } = await import('../../webhooks/sending/http-sender.ts');
  return new HttpWebhookSender({ userAgent: `tankeeper/${packageVersion()}` });
}
