"""Which tools bring in material from outside: their results are marked, so that policies can stand on it."""

from tool_runner.testing.world import all_tools

FROM_THE_WEB = {"fetch_url", "web_read", "web_search"}
FROM_FILES = {
    "file_read_text",
    "file_search",
    "file_view",
    "image_to_base64",
    "pdf_extract_text",
    "pdf_get_form_fields",
    "pdf_info",
    "pdf_page_to_image",
    "spreadsheet_get_sheet_summary",
    "spreadsheet_list_sheets",
    "spreadsheet_read_cell",
    "spreadsheet_read_range",
}


def test_tools_that_read_pages_or_files_say_so() -> None:
    said = {tool.spec.name: tool.spec.source for tool in all_tools() if tool.spec.source is not None}
    outside = dict.fromkeys(FROM_THE_WEB, "web") | dict.fromkeys(FROM_FILES, "file")
    assert said == {**outside, "check_inbox": "service"}
