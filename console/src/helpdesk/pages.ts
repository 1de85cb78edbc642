import { lazy } from 'react';
import type { Session } from '../session/session.tsx';
import type { ConsolePage } from '../shell/console-page.ts';

const canSearch = (session: Session): boolean =>
  ['show', 'userlist', 'transaction'].some((action) => session.may('admin', action));
const canShow = (session: Session): boolean => session.may('admin', 'show');
const canEnrol = (session: Session): boolean => canShow(session) && session.may('admin', 'init');
/** A token of nobody is in no realm. */
const canEnrolForNobody = (session: Session): boolean =>
  canEnrol(session) && session.mayEverywhere('admin', 'init');
const enrolPage = lazy(() => import('./enrolment/enrol-page.tsx'));
const enrolTitle = { en: { title: 'New token' }, de: { title: 'Neues Token' } };

export const helpdeskPages: readonly ConsolePage[] = [
  {
    path: '/search',
    title: { en: { title: 'Search' }, de: { title: 'Suche' } },
    group: 'helpdesk',
    guide: 'helpdesk',
    isFor: canSearch,
    component: lazy(() => import('./search-page.tsx')),
  },
  {
    path: '/tokens',
    hasView: true,
    title: { en: { title: 'Tokens' }, de: { title: 'Token' } },
    group: 'helpdesk',
    guide: 'helpdesk',
    isFor: canShow,
    component: lazy(() => import('./tokens-page.tsx')),
  },
  {
    path: '/people',
    hasView: true,
    title: { en: { title: 'People' }, de: { title: 'Personen' } },
    group: 'helpdesk',
    guide: 'helpdesk',
    isFor: (session) => session.may('admin', 'userlist'),
    component: lazy(() => import('./people-page.tsx')),
  },
  {
    path: '/enrol',
    title: enrolTitle,
    guide: 'enrolment',
    isFor: canEnrolForNobody,
    component: enrolPage,
  },
  {
    path: '/enrol/person/:realm/:resolver/:user',
    title: enrolTitle,
    guide: 'enrolment',
    isFor: canEnrol,
    component: enrolPage,
  },
  {
    path: '/enrol/token/:serial',
    title: enrolTitle,
    guide: 'enrolment',
    isFor: canEnrol,
    component: enrolPage,
  },
  {
    path: '/tokens/:serial',
    title: { en: { title: 'Token' }, de: { title: 'Token' } },
    guide: 'helpdesk',
    isFor: canShow,
    component: lazy(() => import('./token-page.tsx')),
  },
  {
    path: '/people/:realm/:resolver/:user',
    title: { en: { title: 'Person' }, de: { title: 'Person' } },
    guide: 'helpdesk',
    isFor: canShow,
    component: lazy(() => import('./person-page.tsx')),
  },
  {
    path: '/transactions/:id',
    title: { en: { title: 'Transaction' }, de: { title: 'Transaktion' } },
    guide: 'helpdesk',
    isFor: (session) => session.may('admin', 'transaction'),
    component: lazy(() => import('./transaction-page.tsx')),
  },
];
