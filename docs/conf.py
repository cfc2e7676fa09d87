"""How the documentation is built: `./dev docs`, without network, into build/docs. Code on the pages runs while it is."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import svforest

project = "svforest"
author = "the authors of svforest"
version = release = svforest.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "live"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["requirements.txt", "_ext", "_static"]
html_theme = "furo"
html_title = f"svforest {release}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
autodoc_typehints = "none"
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator",
    "exclude-members": "set_fit_request,set_score_request,set_params,get_params,get_metadata_routing",
}
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
# Pages also link to files beside docs/, and what is inherited to pages of scikit-learn.
suppress_warnings = ["myst.xref_missing", "myst.header", "ref.ref"]
