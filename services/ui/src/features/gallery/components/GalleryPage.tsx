import { PageLayout } from "../../../components/PageLayout";
import { Conversation } from "./Conversation";
import { Foundations } from "./Foundations";
import { Parts } from "./Parts";
import "../gallery.css";

/** The design system and every shared component, in each of its states: to build with, and to look at. */
export function GalleryPage() {
  return (
    <PageLayout label="Gallery" heading="Gallery" className="gallery">
      <div className="gallery-page">
        <p className="text-body-secondary">
          What every page is made of. Values are in tokens.css; no other style sheet has any of its own.
        </p>
        <Foundations />
        <Parts />
        <Conversation />
      </div>
    </PageLayout>
  );
}
