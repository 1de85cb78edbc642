import { lazy } from 'react';
import type { ConsolePage } from '../shell/console-page.ts';

export const webhookPages: readonly ConsolePage[] = [
  {
    path: '/webhooks',
    title: { en: { title: 'Webhooks' }, de: { title: 'Webhooks' } },
    group: 'system',
    guide: 'webhooks',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./webhooks-page.tsx')),
  },
  {
    path: '/webhooks/:name',
    title: { en: { title: 'Webhook' }, de: { title: 'Webhook' } },
    guide: 'webhooks',
    isFor: (session) => session.may('system', 'read'),
    component: lazy(() => import('./webhook-page.tsx')),
  },
  {
    path: '/webhooks/:name/edit',
    title: { en: { title: 'Webhook' }, de: { title: 'Webhook' } },
    guide: 'webhooks',
    isFor: (session) => session.may('system', 'write') && session.may('system', 'read'),
    component: lazy(() => import('./edit-webhook-page.tsx')),
  },
  {
    path: '/new-webhook',
    title: { en: { title: 'New webhook' }, de: { title: 'Neuer Webhook' } },
    guide: 'webhooks',
    isFor: (session) => session.may('system', 'write') && session.may('system', 'read'),
    component: lazy(() => import('./new-webhook-page.tsx')),
  },
];
