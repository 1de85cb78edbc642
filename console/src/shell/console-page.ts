import { type ComponentType, createContext, type LazyExoticComponent } from 'react';
import type { Texts } from '../language/language.ts';
import type { Session } from '../session/session.tsx';

/** The groups of the navigation, in their order. */
export const GROUPS = ['overview', 'helpdesk', 'security', 'system', 'account'] as const;

/** A page of the console. Each area has a file `pages.ts` with its own; `pages.ts` of the shell joins them. */
export interface ConsolePage {
  /** Below `#`, as a pattern of wouter: `/tokens/:serial`. */
  readonly path: string;
  /** True where a view follows the path: `/tokens;state=locked`. */
  readonly hasView?: true;
  readonly title: Texts<{ readonly title: string }>;
  /** The place of the page in the navigation; undefined: other pages lead to it. */
  readonly group?: (typeof GROUPS)[number];
  /** The guide that explains it, a file of docs/guides without its ending; by default that of the console. */
  readonly guide?: string;
  /** True for those who may see anything on it. */
  readonly isFor: (session: Session) => boolean;
  /** Loaded when it is opened. */
  readonly component: LazyExoticComponent<ComponentType>;
}

/** The pages that the signed-in administrator may open. */
export const PagesContext = createContext<readonly ConsolePage[]>([]);
