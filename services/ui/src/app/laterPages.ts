/** Pages that are not a part of the first load: each is fetched when it is met. */
import { lazy } from "react";

export const GalleryPage = lazy(async () => ({
  default: (await import("../features/gallery/components/GalleryPage")).GalleryPage,
}));
export const NotificationsPage = lazy(async () => ({
  default: (await import("../features/notifications/components/NotificationsPage")).NotificationsPage,
}));
export const StudioPage = lazy(async () => ({
  default: (await import("../features/studio/components/StudioPage")).StudioPage,
}));
export const PastPage = lazy(async () => ({
  default: (await import("../features/past/components/PastPage")).PastPage,
}));
